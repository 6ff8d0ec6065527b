import type { LanguageCode } from '../../kit/words/language.svelte.ts'
import { accountAf } from './words-af.ts'
import { type AccountWords, accountEn } from './words-en.ts'

/** Apart from the words of the other pages, which do not load them. */
export const ACCOUNT_WORDS: Readonly<Record<LanguageCode, AccountWords>> = { en: accountEn, af: accountAf }
