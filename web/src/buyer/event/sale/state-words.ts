import type { Format } from '../../../kit/words/format.ts'
import type { LanguageCode } from '../../../kit/words/language.svelte.ts'
import { stateWordsAf } from './state-words-af.ts'
import { type StateWords, stateWordsEn } from './state-words-en.ts'

/** Apart from the words of every visit, which do not wait for them. */
export const STATE_WORDS: Readonly<Record<LanguageCode, (format: Format) => StateWords>> = {
  en: stateWordsEn,
  af: stateWordsAf,
}
