import { chooseLanguage } from '../mail/language.ts'
import { documentOf, type PageDocument } from './page-documents.ts'
import { type PageName, type PageParts, partLinks } from './page-parts.ts'

/**
 * The shell of pages that have no head of their own, with the names of their files: a browser asks for them
 * with the first bytes, and not after the shell has run. One for each page and language, made when it is
 * first asked for.
 */
export class PageShells {
  readonly #shell: string
  readonly #parts: PageParts
  readonly #made = new Map<string, PageDocument>()

  constructor(shell: string, parts: PageParts) {
    this.#shell = shell
    this.#parts = parts
  }

  get(page: PageName, acceptLanguage: string | null): PageDocument {
    const language = chooseLanguage(acceptLanguage, 'en')
    const key = `${page} ${language}`
    let made = this.#made.get(key)
    if (!made) {
      const links = partLinks(this.#parts, page, language).text
      made = documentOf(this.#shell.replace('</head>', () => `${links}</head>`))
      this.#made.set(key, made)
    }
    return made
  }
}

/** Tells which page an address of a person is. Null: it is rarely opened, and has the shell as it is. */
export function pageAt(address: string): PageName | null {
  const [slug = '', kind, , more] = address.slice(1).split('/')
  if (slug === 'console' || kind === 'console') return 'console'
  if (['docs', 'look', 'scan'].includes(slug)) return null
  switch (kind) {
    case undefined:
      return slug === '' ? 'home' : 'storefront'
    case 'events':
      return more === 'checkout' ? 'checkout' : 'event'
    case 'checkout':
      return 'pay'
    case 'orders':
      return 'order'
    case 'account':
    case 'password':
      return kind
    default:
      return null
  }
}
