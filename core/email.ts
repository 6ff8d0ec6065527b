export const EMAIL_LENGTH = 254
/** Without control characters: an address is written into the header of a mail. */
export const EMAIL_PATTERN =
  '^[^\\s@\\x00-\\x1f\\x7f-\\x9f]{1,64}@[^\\s@.\\x00-\\x1f\\x7f-\\x9f]+(?:\\.[^\\s@.\\x00-\\x1f\\x7f-\\x9f]+)+$'

/**
 * The one spelling of an e-mail address under which an account is stored and looked up. Unicode has several
 * ways to write a letter (full-width, ligatures, `İ` and `i̇`), and only one of them may be an account.
 */
export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFKC').toLowerCase().normalize('NFKC')
}

/** Normalising can make an address longer, or put an `@` where a look-alike was. */
export function isEmail(normalised: string): boolean {
  return normalised.length <= EMAIL_LENGTH && FORM.test(normalised)
}

const FORM = new RegExp(EMAIL_PATTERN, 'u')
