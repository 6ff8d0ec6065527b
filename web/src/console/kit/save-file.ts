/** Offers what was fetched with the session's token as a file. */
export function saveFile(name: string, content: BlobPart, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has begun; the browser keeps what it needs of it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
