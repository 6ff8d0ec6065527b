import { isFocusLost } from './focus.ts'

export type Place =
  | { readonly page: 'home' }
  | { readonly page: 'storefront'; readonly organization: string }
  | { readonly page: 'event'; readonly organization: string; readonly event: string }
  /** To choose a new one, or to ask for a mail. */
  | { readonly page: 'password'; readonly organization: string }
  /** The visitor's tickets and orders, their details and their data stand there. */
  | { readonly page: 'account'; readonly organization: string }
  /** The buyer's holds of an event, before they are an order. */
  | { readonly page: 'checkout'; readonly organization: string; readonly event: string }
  | { readonly page: 'pay'; readonly organization: string; readonly checkout: string }
  | { readonly page: 'order'; readonly organization: string; readonly order: string }
  /** For staff at the gates. */
  | { readonly page: 'scan' }
  /** Every component in every state. */
  | { readonly page: 'look' }
  /** For all other staff; `slug`: null while they have not said of which organization. */
  | { readonly page: 'console'; readonly slug: string | null; readonly parts: readonly string[] }
  | { readonly page: 'nowhere' }

export function placeOf(path: string): Place {
  const parts = path
    .split('?', 1)[0]!
    .split('/')
    .filter(part => part !== '')
  const [organization, kind, id, more, ...rest] = parts
  if (organization === undefined) return { page: 'home' }
  if (organization === 'scan' || organization === 'look')
    return { page: kind === undefined ? organization : 'nowhere' }
  if (organization === 'console' && kind === undefined) return { page: 'console', slug: null, parts: [] }
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(organization)) return { page: 'nowhere' }
  if (kind === 'console') return { page: 'console', slug: organization, parts: parts.slice(2) }
  if (rest.length > 0) return { page: 'nowhere' }
  if (kind === undefined) return { page: 'storefront', organization }
  if (kind === 'password' && id === undefined) return { page: 'password', organization }
  if (kind === 'account' && id === undefined) return { page: 'account', organization }
  if (id === undefined) return { page: 'nowhere' }
  if (more === 'checkout' && kind === 'events') return { page: 'checkout', organization, event: id }
  if (more !== undefined) return { page: 'nowhere' }
  if (kind === 'events') return { page: 'event', organization, event: id }
  if (kind === 'checkout') return { page: 'pay', organization, checkout: id }
  return kind === 'orders' ? { page: 'order', organization, order: id } : { page: 'nowhere' }
}

/** Knows where the visitor is; it follows the browser's own back and forward. */
export class Route {
  #place: Place = $state.raw({ page: 'home' })
  #moves = $state(0)

  constructor() {
    this.#place = placeOf(location.pathname)
    window.addEventListener('popstate', () => {
      this.#place = placeOf(location.pathname)
      this.#moves += 1
    })
  }

  get place(): Place {
    return this.#place
  }

  /** The visitor has gone from page to page so often without a new document. */
  get moves(): number {
    return this.#moves
  }

  go(path: string): void {
    history.pushState(null, '', path)
    this.#arriveAt(path)
  }

  /** The same, and the way back leads past this page. */
  goInstead(path: string): void {
    history.replaceState(null, '', path)
    this.#arriveAt(path)
  }

  #arriveAt(path: string): void {
    this.#place = placeOf(path)
    this.#moves += 1
    window.scrollTo(0, 0)
  }

  /**
   * For the heading of a page: takes the focus when the visitor has come from another page, so that a screen
   * reader says where they are. A heading that comes late, with the data,
   * takes it only from the page as a whole.
   */
  readonly arrive = (heading: HTMLElement) => {
    if (this.#moves === 0) return
    const active = document.activeElement
    if (isFocusLost() || active?.id === 'content') heading.focus()
  }

  /** For clicks on links: those that open here do so without a new document; all others are the browser's. */
  readonly follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
    if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return
    // Documents of their own: another page, or another policy.
    if (link.pathname === '/docs' || link.pathname === '/scan') return
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    if (link.hash) return
    event.preventDefault()
    this.go(link.pathname + link.search)
  }
}
