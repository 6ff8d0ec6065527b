import type { LanguageCode } from '../words/language.svelte.ts'

/** Apart from the words of all pages: they come with the field and the page that say them. */
export const PASSWORD_WORDS: Readonly<Record<LanguageCode, { showTyped: string; noMails: string }>> = {
  en: {
    showTyped: 'Show what was typed',
    noMails:
      'This site sends no emails at the moment, so it cannot send you a link. Ask the organizer for help with your account. Your tickets stay valid.',
  },
  af: {
    showTyped: 'Wys wat getik is',
    noMails:
      'Hierdie webwerf stuur op die oomblik geen e-\u2060pos nie, en kan dus nie vir jou ’n skakel stuur nie. Vra die organiseerder vir hulp met jou rekening. Jou kaartjies bly geldig.',
  },
}
