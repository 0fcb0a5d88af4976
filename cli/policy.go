package cli

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"idem/engine"
)

// policyFlag is the --policy flag of the commands that run the engine.
type policyFlag struct{ path string }

func (p *policyFlag) register(f *pflag.FlagSet) {
	f.StringVar(&p.path, "policy", "", "policy file (JSON, as policy.json); members it lacks keep their default")
}

// load reads the file, or gives base where none was named.
func (p *policyFlag) load(base engine.Policy) (engine.Policy, error) {
	if p.path == "" {
		return base, nil
	}
	text, err := readLimited(p.path, maxPolicy)
	if err != nil {
		return engine.Policy{}, unreadable("read policy: %w", err)
	}
	policy, err := engine.ParsePolicy(text, base)
	if err != nil {
		return engine.Policy{}, unreadable("policy file %s: %w", p.path, err)
	}
	return policy, nil
}

// Sizes up to which input files are read, in bytes.
const (
	maxPolicy  = 1 << 20
	maxRequest = 16 << 20
)

// readLimited reads a small file whole; a larger one is an error, not an
// exhausted memory.
func readLimited(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	text, err := readUpTo(f, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
