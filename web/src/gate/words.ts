import type { LanguageCode } from '../kit/words/language.svelte.ts'
import { scanAf } from './scan-af.ts'
import { type ScanWords, scanEn } from './scan-en.ts'

/** Apart from the words of the buyers' pages, which do not load them. */
export const SCAN_WORDS: Readonly<Record<LanguageCode, ScanWords>> = { en: scanEn, af: scanAf }
