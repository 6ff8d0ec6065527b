import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MailLanguage } from '../mail/language.ts'
import { type Html, html } from './html.ts'

/** The build says in this file which files a page needs besides those of the shell. */
export const PARTS_FILE = 'page-parts.json'

export type PageName =
  | 'home'
  | 'storefront'
  | 'event'
  | 'account'
  | 'checkout'
  | 'pay'
  | 'order'
  | 'password'
  | 'console'

export type PageParts = Readonly<Partial<Record<PageName | MailLanguage, readonly string[]>>>

/** Empty when the page has not been built: it loads its parts one after the other then. */
export function readPageParts(folder: string): PageParts {
  try {
    return JSON.parse(readFileSync(join(folder, PARTS_FILE), 'utf8')) as PageParts
  } catch {
    return {}
  }
}

/**
 * The files of a page and of its words, named in the document: browsers ask for all of them with the first
 * bytes, not for each when the one before has come. Those who have chosen another language load its words as
 * well.
 * `isPainted`: the document has something to show that needs the style sheet of the shell alone, so it does
 * not wait for those of the page. The page's code does.
 */
export function partLinks(
  parts: PageParts,
  page: PageName,
  language: MailLanguage,
  { isPainted = false } = {},
): Html {
  const files = [...(parts[page] ?? []), ...(parts[language] ?? [])]
  const style = (file: string) =>
    isPainted
      ? html`<link rel="preload" as="style" crossorigin href="${file}">`
      : html`<link rel="stylesheet" crossorigin href="${file}">`
  return html`${files.map(file =>
    file.endsWith('.css') ? style(file) : html`<link rel="modulepreload" crossorigin href="${file}">`,
  )}`
}
