package sqlitestore

// keptAccounts are the accounts that a [Bulk] has in memory: a thousand accounts
// that a million transfers move are written once a stage.
type keptAccounts struct {
	bound int // how many, by and large
	kept  map[string]*keptAccount
	read  func(id string) (*account, error)
	dirty []*keptAccount // changed since the last stage; those undone among them

	touched []touch  // by the running operation, to put back
	opened  []string // by the running operation
}

type keptAccount struct {
	account
	dirty bool
}

type touch struct {
	a       *keptAccount
	balance int64
	dirty   bool
}

// row is the account, nil for none.
func (a *keptAccount) row() *account {
	if a == nil {
		return nil
	}
	return &a.account
}

// find gives an account by the text of its id; nil when there is none. What it
// returns is the kept one and must not be handed out.
func (as *keptAccounts) find(id string) (*keptAccount, error) {
	if a, ok := as.kept[id]; ok {
		return a, nil
	}
	a, err := as.read(id)
	if err != nil || a == nil {
		return nil, err
	}
	as.kept[id] = &keptAccount{account: *a}
	return as.kept[id], nil
}

// open keeps an account that find did not find.
func (as *keptAccounts) open(a account) {
	as.kept[a.ID] = &keptAccount{account: a}
	as.opened = append(as.opened, a.ID)
}

// set changes the balance of an account that find returned.
func (as *keptAccounts) set(a *keptAccount, balance int64) {
	as.touched = append(as.touched, touch{a, a.Balance, a.dirty})
	a.Balance = balance
	if !a.dirty {
		a.dirty = true
		as.dirty = append(as.dirty, a)
	}
}

// undo puts back what the running operation changed; done lets it stand.
func (as *keptAccounts) undo() {
	for i := len(as.touched) - 1; i >= 0; i-- {
		t := as.touched[i]
		t.a.Balance, t.a.dirty = t.balance, t.dirty
	}
	for _, id := range as.opened {
		delete(as.kept, id)
	}
}

func (as *keptAccounts) done() { as.touched, as.opened = as.touched[:0], as.opened[:0] }

// changed adds the accounts to list whose balances are to be written, as they
// are now.
func (as *keptAccounts) changed(list []account) []account {
	for _, a := range as.dirty {
		if a.dirty {
			a.dirty = false
			list = append(list, a.account)
		}
	}
	clear(as.dirty)
	as.dirty = as.dirty[:0]
	return list
}
