package findings

// BatchRunAgain: a list of payments was sent a second time as a whole: many
// rows, each with an equal one, all the same time apart.
//
// The constant lag shows it. It is suspected, and probable where references
// agree. Blind spot: a schedule that repeats its payments; lags of whole hours,
// and payments that come a third time, are taken for one.
const BatchRunAgain Class = "BATCH_RUN_AGAIN"
