package report

import (
	"strings"

	"idem/analysis"
)

// evidenceJSON names the input by its content. Its path is no part of a result.
type evidenceJSON struct {
	SHA256 string       `json:"sha256"`
	Size   int64        `json:"size"`
	Log    *logEvidence `json:"log,omitempty"`
}

// logEvidence is the write-ahead log or journal that part of the rows came from.
type logEvidence struct {
	Kind   string `json:"kind"` // wal or journal
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

func evidenceOf(e analysis.Evidence) evidenceJSON {
	v := evidenceJSON{SHA256: e.SHA256, Size: e.Size}
	if e.Log != "" {
		kind := e.Log[strings.LastIndexByte(e.Log, '-')+1:]
		v.Log = &logEvidence{kind, e.LogSHA256, e.LogSize}
	}
	return v
}
