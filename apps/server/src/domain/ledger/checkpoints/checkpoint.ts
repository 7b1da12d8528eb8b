/**
 * Data that a long call keeps in its reservation in case its node dies: the log row to write then, in the
 * log's own columns. It must not decide when checkpoints are made or what a call costs.
 */
import { type CallRecord, readRow, rowOf } from "#domain/ledger/calls/call-record.ts";

/** Returns the checkpoint as JSON, for the column. */
export function checkpointOf(record: CallRecord): object {
  return rowOf(record);
}

/** Returns the call as it is charged; undefined for an unreadable checkpoint. */
export function parseCheckpoint(checkpoint: unknown): CallRecord | undefined {
  return readRow(checkpoint);
}
