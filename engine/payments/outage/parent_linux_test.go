package outage

import "syscall"

// endWithParent has the kernel kill a server when the test ends, however it does.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
