/** Passed on the command line at each start, so that they hold whatever postgresql.conf says. */
export const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '256MB',
  max_connections: '100',
  // A hold that is confirmed to a buyer survives a power cut.
  fsync: 'on',
  synchronous_commit: 'on',
  // Our queries are short: compiling them costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // A failed statement is reported to who sent it. In the log, refusals under load would fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  // wal_compression stays off: these binaries are built without lz4 and zstd, and pglz is slow.
}
