import type { FaultList } from './faults.ts'

/**
 * Control characters and halves of surrogate pairs. Postgres stores neither NUL nor half a pair, and two
 * different halves would get one derived id, since both become U+FFFD in UTF-8.
 */
const NOT_PRINTABLE = /[\p{Cc}\p{Cs}]/u

/** Names, rows, labels, keys: something to read, on one line, of bounded length. */
export function checkText(
  faults: Pick<FaultList<TextFault>, 'add'>,
  path: string,
  text: string,
  maxLength: number,
): void {
  const code = textFault(text, maxLength)
  if (code === null) return
  faults.add(path, code, messages[code](maxLength))
}

export function textFault(text: string, maxLength: number): TextFault | null {
  if (text.length > maxLength) return 'text_too_long'
  if (text.trim() === '') return 'text_empty'
  return NOT_PRINTABLE.test(text) ? 'text_not_printable' : null
}

/** For messages: a thousand of them should not repeat a label of a megabyte each. */
export function quoted(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`
}

const messages = {
  text_too_long: (maxLength: number) => `Shorten this to at most ${maxLength} characters.`,
  text_empty: () => 'Write something here: it is empty.',
  text_not_printable: () => 'Remove line breaks and other control characters from this text.',
}

export type TextFault = keyof typeof messages
