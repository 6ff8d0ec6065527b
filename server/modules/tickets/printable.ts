/** In place of a character that the font does not have. */
const MISSING = '?'
/** A name fits, with room to spare: longer texts would take the time of others. */
const MAX_CHARACTERS = 300
/** Making it takes longer than a page. */
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * A text as the font can print it: on one line, composed, with `?` for each character that the font does not
 * have, its marks included. So a name in a script that we can't print is as long as it is, and the rest of
 * the ticket, its code above all, is not touched.
 */
export function printable(text: string, hasGlyph: (codePoint: number) => boolean): string {
  const line = text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const characters = [...segmenter.segment(line)]
  return characters
    .slice(0, MAX_CHARACTERS)
    .map(({ segment }) => ([...segment].every(part => hasGlyph(part.codePointAt(0)!)) ? segment : MISSING))
    .join('')
}
