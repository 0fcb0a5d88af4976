// Package canaries sends secrets through every command of the program, and looks
// for them in all that it says and writes: output, logs, metrics, reports and
// databases. Each place where one may be is listed with the reason; one that is
// listed and not there is a mistake of the list.
package canaries
