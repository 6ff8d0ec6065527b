/** Reads a command line. `--help` prints how it is used; a mistake says what it is, without a stack trace. */
export function orUsage<T>(args: readonly string[], usage: string, parse: () => T): T {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  try {
    return parse()
  } catch (error) {
    if (!isMistake(error)) throw error
    process.stderr.write(`${error.message}\n\n${usage}\n`)
    process.exit(2)
  }
}

/** `parseArgs` throws such an error for an option that it does not know. */
function isMistake(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_PARSE_ARGS')
}
