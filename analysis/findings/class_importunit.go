package findings

// ImportUnitTrap: all transfers of a currency are off by the same power of ten.
// The ledger was read in the wrong unit; nothing moved twice.
//
// It accuses no transfer. Blind spot: a service that gets every amount of a
// currency wrong looks the same.
const ImportUnitTrap Class = "IMPORT_UNIT_TRAP"
