package sqlitestore

import (
	"fmt"

	"idem/crash"
	"idem/engine"
)

// hand gives the stage to the writer, once it is done with the one before, and
// goes on with an empty one.
func (b *Bulk) hand() error {
	if err := b.wait(); err != nil {
		return err
	}
	full := b.stage
	full.balances, full.last = b.accounts.changed(full.balances), b.last
	b.writing, b.stage, b.spare = full, b.spare, nil
	if b.stage == nil {
		b.stage = newStage()
	}
	go func() {
		defer crash.Catch(func(p *crash.Panic) { b.wrote <- p })
		b.wrote <- b.write(full)
	}()
	return nil
}

// wait returns when the writer has nothing left to do. A panic of it is one here.
func (b *Bulk) wait() error {
	if b.writing == nil {
		return nil
	}
	err := <-b.wrote
	defer func() { _ = crash.Again(err) }()
	b.writing.reset()
	b.spare, b.writing = b.writing, nil
	return b.failed(err)
}

// drain writes what is staged.
func (b *Bulk) drain() error {
	if b.stage.operations > 0 {
		if err := b.hand(); err != nil {
			return err
		}
	}
	return b.wait()
}

// failed notes that the file is lost.
func (b *Bulk) failed(err error) error {
	if err != nil && b.broken == nil {
		b.broken = fmt.Errorf("%w: writing failed, make the file again: %w", engine.ErrUnavailable, err)
	}
	return b.broken
}

func (b *Bulk) begin() error {
	if b.open {
		return nil
	}
	if err := b.s.begin(); err != nil {
		return err
	}
	b.open = true
	return nil
}

// turn is how many rows are written before somebody who waits may read.
const turn = 16

// write writes a stage, while others read the file in between.
func (b *Bulk) write(st *stage) error {
	b.file.Lock()
	defer b.file.Unlock()
	if err := b.begin(); err != nil {
		return err
	}
	rows := 0
	for row := range st.rows() {
		if err := row(b.s); err != nil {
			return err
		}
		if rows++; rows%turn == 0 {
			b.file.Unlock()
			b.file.Lock()
		}
	}
	b.s.last = st.last
	return b.s.flush()
}
