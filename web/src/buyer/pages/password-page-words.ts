import type { LanguageCode } from '../../kit/words/language.svelte.ts'

const en = {
  title: {
    ask: 'Forgot your password?',
    reset: 'Choose a new password',
    change: 'Change your password',
    confirm: 'Confirm your email address',
  },
  about: {
    ask: 'Type the email address of your account. If there is an account, we send it a link to choose a new password.',
    reset: 'You will be signed out everywhere, and can sign in with the new password.',
    change: 'You will be signed out everywhere else, and we tell you by email.',
  },
  submit: {
    ask: 'Send me a link',
    reset: 'Save the new password',
    change: 'Change the password',
    confirm: 'Yes, this is my account',
  },
  current: 'Current password',
  new: 'New password',
  wasAsked: 'If there is an account with this address, an email is on its way. Its link works for one hour.',
  wasReset: 'Your password has been changed. Sign in with the new one.',
  wasChanged: 'Your password has been changed.',
  linkIsOver: 'This link has been used or has expired. Ask for another one.',
  toConsole: 'To the console',
  aboutConfirming: (email: string | null) =>
    email === null
      ? 'Sign in to the account that the email is about, to confirm that it is yours.'
      : `You are signed in as ${email}. Confirm that this account is yours.`,
  notMine:
    'If you did not make this account, choose a password instead: it becomes yours alone, and everyone else is signed out of it.',
  otherAccount: 'This link is for another account. Sign out, and sign in to that one.',
}

const af: typeof en = {
  title: {
    ask: 'Wagwoord vergeet?',
    reset: 'Kies ’n nuwe wagwoord',
    change: 'Verander jou wagwoord',
    confirm: 'Bevestig jou e-\u2060posadres',
  },
  about: {
    ask: 'Tik die e-\u2060posadres van jou rekening in. As daar so ’n rekening is, stuur ons ’n skakel om ’n nuwe wagwoord te kies.',
    reset: 'Jy word oral afgemeld, en kan met die nuwe wagwoord aanmeld.',
    change: 'Jy word oral elders afgemeld, en ons laat jou per e-\u2060pos weet.',
  },
  submit: {
    ask: 'Stuur vir my ’n skakel',
    reset: 'Stoor die nuwe wagwoord',
    change: 'Verander die wagwoord',
    confirm: 'Ja, dit is my rekening',
  },
  current: 'Huidige wagwoord',
  new: 'Nuwe wagwoord',
  wasAsked:
    'As daar ’n rekening met hierdie adres is, is ’n e-\u2060pos op pad. Die skakel werk vir een uur.',
  wasReset: 'Jou wagwoord is verander. Meld met die nuwe een aan.',
  wasChanged: 'Jou wagwoord is verander.',
  linkIsOver: 'Hierdie skakel is al gebruik of het verval. Vra vir ’n ander een.',
  toConsole: 'Na die konsole',
  aboutConfirming: email =>
    email === null
      ? 'Meld aan by die rekening waaroor die e-\u2060pos gaan, om te bevestig dat dit joune is.'
      : `Jy is aangemeld as ${email}. Bevestig dat hierdie rekening joune is.`,
  notMine:
    'As jy nie hierdie rekening gemaak het nie, kies eerder ’n wagwoord: dan is dit net joune, en niemand anders is meer daarby aangemeld nie.',
  otherAccount: 'Hierdie skakel is vir ’n ander rekening. Meld af, en meld by daardie een aan.',
}

/** Only the page of passwords says these, so no other page loads them. */
export const PASSWORD_PAGE_WORDS: Readonly<Record<LanguageCode, typeof en>> = { en, af }
