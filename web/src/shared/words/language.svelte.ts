import { af } from './af.ts'
import { en, type Words } from './en.ts'
import { createFormat, type Format } from './format.ts'

/**
 * One row a language: its words, and the locale to write numbers and dates by
 * when the browser names no finer one.
 */
export const LANGUAGES = {
  en: { name: 'English', words: en, locale: 'en-ZA' },
  af: { name: 'Afrikaans', words: af, locale: 'af-ZA' },
} as const

export type LanguageCode = keyof typeof LANGUAGES

const KEPT_AT = 'voelgoed:language'

/** The language of the page: what was chosen here before, else the first of the browser's that we have. */
export class Language {
  #code: LanguageCode = $state('en')
  readonly #preferred: readonly string[]

  constructor(preferred: readonly string[]) {
    this.#preferred = preferred
    this.#code = kept() ?? preferred.map(toCode).find(code => code !== null) ?? 'en'
  }

  get code(): LanguageCode {
    return this.#code
  }

  readonly #format: Format = $derived.by(() => {
    const own = this.#preferred.find(tag => toCode(tag) === this.#code && tag.includes('-'))
    return createFormat(own ?? LANGUAGES[this.#code].locale)
  })
  readonly #words: Words = $derived(LANGUAGES[this.#code].words(this.#format))

  get format(): Format {
    return this.#format
  }

  get words(): Words {
    return this.#words
  }

  choose(code: LanguageCode): void {
    this.#code = code
    try {
      localStorage.setItem(KEPT_AT, code)
    } catch {
      // No room, or not allowed: the choice lasts as long as the page.
    }
  }
}

function toCode(tag: string): LanguageCode | null {
  const code = tag.toLowerCase().split('-')[0]!
  return Object.hasOwn(LANGUAGES, code) ? (code as LanguageCode) : null
}

function kept(): LanguageCode | null {
  try {
    return toCode(localStorage.getItem(KEPT_AT) ?? '')
  } catch {
    return null
  }
}
