export type Place =
  | { readonly page: 'home' }
  | { readonly page: 'storefront'; readonly organization: string }
  | { readonly page: 'event'; readonly organization: string; readonly event: string }
  | { readonly page: 'nowhere' }

function placeOf(path: string): Place {
  const [organization, events, event, ...rest] = path.split('/').filter(part => part !== '')
  if (organization === undefined) return { page: 'home' }
  if (!/^[a-z0-9-]{1,63}$/.test(organization) || rest.length > 0) return { page: 'nowhere' }
  if (events === undefined) return { page: 'storefront', organization }
  if (events !== 'events' || event === undefined) return { page: 'nowhere' }
  return { page: 'event', organization, event }
}

/** Where the visitor is; follows the browser's own back and forward. */
export class Route {
  #place: Place = $state.raw({ page: 'home' })

  constructor() {
    this.#place = placeOf(location.pathname)
    window.addEventListener('popstate', () => {
      this.#place = placeOf(location.pathname)
    })
  }

  get place(): Place {
    return this.#place
  }

  go(path: string): void {
    history.pushState(null, '', path)
    this.#place = placeOf(path)
    window.scrollTo(0, 0)
  }

  /** For clicks on links: those that open here do so without a new page; all others are the browser's. */
  readonly follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
    if (!link || link.origin !== location.origin || link.target || link.pathname === '/docs') return
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    if (link.hash) return
    event.preventDefault()
    this.go(link.pathname)
  }
}
