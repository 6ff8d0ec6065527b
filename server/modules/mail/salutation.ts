/**
 * The name to greet a buyer by. They typed it themselves, and the address that the mail goes to as well: what
 * reads like the address of a page is left out, and so is any name where the order cost nothing, since then a
 * stranger could send such mails for free.
 */
export function salutation(name: string | null, total: number | null): string | null {
  if (name === null || total === 0) return null
  const line = name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  return line === '' || line.length > LONGEST || LIKE_A_PAGE.test(line) ? null : line
}

const LONGEST = 60
const LIKE_A_PAGE = /:\/\/|@|[^\s.]{2}\.\p{L}{2}/u
