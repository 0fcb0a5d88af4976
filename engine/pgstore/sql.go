package pgstore

import (
	"embed"
	"strings"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// The statements, each under the name of its file.
var (
	sqlMigrationVersion   = statement("migration_version")
	sqlMigrationLockTable = statement("migration_lock_table")
	sqlMigrationLockRow   = statement("migration_lock_row")
	sqlMigrationLock      = statement("migration_lock")

	sqlClaimInsert  = statement("claim_insert")
	sqlClaimReplace = statement("claim_replace")
	sqlRecord       = statement("record")
	sqlRecordLock   = statement("record_lock")
	sqlComplete     = statement("complete")
	sqlRelease      = statement("release")
	sqlNewest       = statement("newest")
	sqlPurge        = statement("purge")
	sqlFenceDraw    = statement("fence_draw")

	sqlAccount             = statement("account")
	sqlAccountLock         = statement("account_lock")
	sqlAccountTryLock      = statement("account_try_lock")
	sqlAccountInsert       = statement("account_insert")
	sqlBalanceUpdate       = statement("balance_update")
	sqlTransfer            = statement("transfer")
	sqlTransferInsert      = statement("transfer_insert")
	sqlTransferClaimInsert = statement("transfer_claim_insert")
	sqlAccountOpened       = statement("account_opened_insert")
	sqlTransferOutside     = statement("transfer_outside_insert")
	sqlDocument            = statement("document")
	sqlDocumentLock        = statement("document_lock")
	sqlDocumentInsert      = statement("document_insert")
	sqlDocumentPut         = statement("document_put")

	sqlUnsealedAny = statement("unsealed_any")
	sqlUnsealed    = statement("unsealed")
	sqlChainLock   = statement("chain_lock")
	sqlSealSet     = statement("seal_set")
	sqlChainUpdate = statement("chain_update")
)

func statement(name string) string {
	text, err := sqlFiles.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic("pgstore: " + err.Error())
	}
	return strings.TrimSpace(string(text))
}
