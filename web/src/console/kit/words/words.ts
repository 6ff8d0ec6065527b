import type { Format } from '../../../kit/words/format.ts'
import type { LanguageCode } from '../../../kit/words/language.svelte.ts'
import { consoleAf } from './af.ts'
import { type ConsoleWords, consoleEn } from './en.ts'

export type { ConsoleWords } from './en.ts'

/** Apart from the words of the buyers' pages, which do not load them. */
export const CONSOLE_WORDS: Readonly<Record<LanguageCode, (format: Format) => ConsoleWords>> = {
  en: consoleEn,
  af: consoleAf,
}
