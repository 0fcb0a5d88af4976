package report

import (
	"context"
	"io"
)

// Format is one file that a report consists of.
type Format struct {
	File  string // its name in the report's folder
	About string // one line, for people
	Lang  Lang   // of a report for people; "" for the others

	// write writes the file's content.
	write func(ctx context.Context, w io.Writer, r *Report) error
}

// Formats is the table of files, in the order in which they are written: the
// five that are always there, and the report in each further language.
func Formats(langs ...Lang) []Format {
	list := []Format{
		{File: "day.db", About: "the replayed ledger, an SQLite database", write: copyLedger},
		{File: "dup_report.json", About: "the duplicates of the day", write: func(_ context.Context, w io.Writer, r *Report) error {
			return WriteDupReport(w, r.day.Duplicates, r.day.Findings, r.day.Evidence, r.day.Version, r.day.Result.Policy.Hash())
		}},
		{File: "result.json", About: "what the replay made of the day", write: inMemory(ResultJSON)},
		{File: "policy.json", About: "the policy it was replayed under", write: inMemory(func(r *Report) ([]byte, error) {
			return r.day.Result.Policy.JSON(), nil
		})},
		markdownFormat(Korean),
	}
	for _, lang := range Languages() {
		for _, wanted := range langs {
			if lang == wanted && lang != Korean {
				list = append(list, markdownFormat(lang))
				break
			}
		}
	}
	return list
}

func markdownFormat(lang Lang) Format {
	return Format{File: lang.file(), About: "the report for people", Lang: lang, write: inMemory(func(r *Report) ([]byte, error) {
		return r.Markdown(lang)
	})}
}

// inMemory adapts a format that is small enough to be made in memory.
func inMemory(render func(*Report) ([]byte, error)) func(context.Context, io.Writer, *Report) error {
	return func(_ context.Context, w io.Writer, r *Report) error {
		b, err := render(r)
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}
}
