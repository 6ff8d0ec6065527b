import type { Words } from './en.ts'
import { createFormat, type Format } from './format.ts'

type MakeWords = (format: Format) => Words

/**
 * One row a language: its words, and the locale to write numbers and dates by when the browser names no finer
 * one. Words are loaded for the language that is read, and for the other one when it is chosen.
 */
export const LANGUAGES = {
  en: {
    name: 'English',
    words: (): Promise<MakeWords> => import('./en.ts').then(({ en }) => en),
    locale: 'en-ZA',
  },
  af: {
    name: 'Afrikaans',
    words: (): Promise<MakeWords> => import('./af.ts').then(({ af }) => af),
    locale: 'af-ZA',
  },
} as const

export type LanguageCode = keyof typeof LANGUAGES

const KEPT_AT = 'voelgoed:language'

/** The language of the page: what was chosen here before, else the first of the browser's that we have. */
export class Language {
  readonly #preferred: readonly string[]
  /** Together: no page is ever in two languages. */
  #current: { readonly code: LanguageCode; readonly make: MakeWords } = $state.raw(null!)
  #wanted: LanguageCode

  private constructor(preferred: readonly string[], code: LanguageCode, make: MakeWords) {
    this.#preferred = preferred
    this.#wanted = code
    this.#current = { code, make }
  }

  /** Before anything is shown: the words are there then. */
  static async open(preferred: readonly string[]): Promise<Language> {
    const code = kept() ?? preferred.map(toCode).find(known => known !== null) ?? 'en'
    return new Language(preferred, code, await LANGUAGES[code].words())
  }

  get code(): LanguageCode {
    return this.#current.code
  }

  readonly #format: Format = $derived.by(() => {
    const own = this.#preferred.find(tag => toCode(tag) === this.code && tag.includes('-'))
    return createFormat(own ?? LANGUAGES[this.code].locale)
  })
  readonly #words: Words = $derived(this.#current.make(this.#format))

  get format(): Format {
    return this.#format
  }

  get words(): Words {
    return this.#words
  }

  /** When its words can't be loaded, the page stays as it is. */
  async choose(code: LanguageCode): Promise<void> {
    this.#wanted = code
    const make = await LANGUAGES[code].words().catch(() => null)
    // Another one was chosen meanwhile.
    if (make === null || this.#wanted !== code) return
    this.#current = { code, make }
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
