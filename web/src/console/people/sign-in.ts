import type { LanguageCode } from '../../kit/words/language.svelte.ts'
import { signInAf } from './sign-in-af.ts'
import { type SignInWords, signInEn } from './sign-in-en.ts'

/** Apart from the words of the console's screens: who has not signed in yet does not load those. */
export const SIGN_IN_WORDS: Readonly<Record<LanguageCode, () => SignInWords>> = { en: signInEn, af: signInAf }
