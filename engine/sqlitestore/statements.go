package sqlitestore

import (
	"embed"
	"strings"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// The statements, each under the name of its file.
var (
	sqlSchema        = statement("schema")
	sqlSchemaUpgrade = map[int64]string{2: statement("schema_upgrade_2"), 3: statement("schema_upgrade_3")}
	sqlSchemaPurge   = statement("schema_purge")
	sqlChainUnlinked = statement("chain_unlinked")
	sqlChainLink     = statement("chain_link")
	sqlChainBegin    = statement("chain_begin")
	sqlChainBegun    = statement("chain_begun")
	sqlSchemaObjects = statement("schema_objects")
	sqlSchemaVersion = statement("schema_version")
	sqlLedgerCheck   = statement("ledger_check")
	sqlTransferCheck = statement("transfer_check")
	sqlForeignCheck  = statement("foreign_check")

	sqlClaimInsert  = statement("claim_insert")
	sqlClaimReplace = statement("claim_replace")
	sqlComplete     = statement("complete")
	sqlRelease      = statement("release")
	sqlRecord       = statement("record")
	sqlNewest       = statement("newest")
	sqlPurge        = statement("purge")
	sqlRecordPut    = statement("record_put")
	sqlRecordDelete = statement("record_delete")
	sqlUsed         = statement("used")
	sqlCounters     = statement("counters")
	sqlFenceUpdate  = statement("fence_update")
	sqlChainUpdate  = statement("chain_update")

	sqlAccount             = statement("account")
	sqlAccountInsert       = statement("account_insert")
	sqlAccountOpened       = statement("account_opened_insert")
	sqlBalanceUpdate       = statement("balance_update")
	sqlTransfer            = statement("transfer")
	sqlTransferInsert      = statement("transfer_insert")
	sqlTransferClaimInsert = statement("transfer_claim_insert")
	sqlDocument            = statement("document")
	sqlDocumentPut         = statement("document_put")
)

// statement reads one file. The driver keeps a statement prepared only when
// nothing follows it, not even a newline.
func statement(name string) string {
	text, err := sqlFiles.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic("sqlitestore: " + err.Error())
	}
	return strings.TrimSpace(string(text))
}
