/** A document has its quote between `<!-- bench:NAME -->` and `<!-- /bench -->`. */
const QUOTE = /<!-- bench:([\w.]+) -->[\s\S]*?<!-- \/bench -->/g

/**
 * Writes figures into a document, so that the author need not copy them by hand. A figure that was not
 * measured this time stays as it is.
 */
export function fillIn(text: string, quotes: Readonly<Record<string, string>>): string {
  return text.replace(QUOTE, (whole, name: string) => {
    const quote = quotes[name]
    if (quote === undefined) return whole
    const space = quote.includes('\n') ? '\n' : ''
    return `<!-- bench:${name} -->${space}${quote}${space}<!-- /bench -->`
  })
}

/** A table as it is printed, for a document. */
export function asBlock(table: string): string {
  return `\`\`\`text\n${table}\n\`\`\``
}
