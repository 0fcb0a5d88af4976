// Package tui is the workbench: an incident, its replay, the policy, the report,
// the findings, other policies, a classroom and two sides of a day on one terminal.
//
// Its rules:
//
//   - Update does no I/O and never waits. What takes time is a command, and what
//     a command found comes back as a message.
//   - View only draws what the model holds. It never asks a database.
//   - A screen shows one answer at a time: while a command runs, newer wishes
//     replace older ones and are never queued, so that a slow disk or a slow line
//     costs frames and not patience.
//   - What comes from data passes through [idem/analysis/printable] before it is
//     drawn, and every view is exactly as high and never wider than the screen.
//   - The keys that a screen answers to are one list, made anew each time it is
//     asked for. Keys are dispatched by it, and help, hints and the reasons why
//     a key does nothing are read from it.
//   - A part of an incident is a session of its own, opened in place of the other:
//     no screen has to know that it shows a part.
//   - A prompt owns the keys before anything else, then what lies over a screen,
//     then the screen, then the workbench.
//
// Besides the screens there is [RunLinear], the same workbench in words, for screen
// readers and pipes; and a tour, which presses the keys of the real workbench and
// waits for the person at each stop. A panic anywhere, in a goroutine of the rooms
// below too, ends the app with the terminal as it was: see [idem/crash].
package tui
