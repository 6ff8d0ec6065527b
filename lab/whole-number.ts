/** Reads a number from the command line. Says what is wrong, without a stack trace. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    process.stderr.write(`--${name} must be a whole number, not ${JSON.stringify(text)}\n`)
    process.exit(2)
  }
  return Number(text)
}
