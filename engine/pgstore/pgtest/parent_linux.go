package pgtest

import "syscall"

// endWithParent has the kernel stop the server when this process ends, however
// it does: at once, as the data is of no use to anybody.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGQUIT }
