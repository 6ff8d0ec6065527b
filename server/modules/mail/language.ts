/** Languages that mails are written in, with the locale for their numbers and dates. */
export const MAIL_LOCALES = { en: 'en-ZA', af: 'af-ZA' } as const
export type MailLanguage = keyof typeof MAIL_LOCALES

/** Parts of an Accept-Language header that are looked at. */
const MAX_TAGS = 20

/** The first of ours that a language tag, or an Accept-Language header, asks for; null: none of them. */
function languageOf(wanted: string): MailLanguage | null {
  const tags = wanted.split(',', MAX_TAGS).map((part, index) => {
    const [tag = '', ...parameters] = part.split(';').map(each => each.trim())
    const q = parameters.find(each => each.startsWith('q='))?.slice(2)
    const weight = q === undefined ? 1 : Number(q)
    return { language: tag.toLowerCase().split('-')[0]!, weight: weight >= 0 ? weight : 0, index }
  })
  tags.sort((a, b) => b.weight - a.weight || a.index - b.index)
  const found = tags.find(({ language, weight }) => weight > 0 && Object.hasOwn(MAIL_LOCALES, language))
  return (found?.language as MailLanguage | undefined) ?? null
}

/** Chooses what the reader asked for, else what the organization speaks, else English. */
export function chooseLanguage(reader: string | null, organization: string): MailLanguage {
  return (reader === null ? null : languageOf(reader)) ?? languageOf(organization) ?? 'en'
}
