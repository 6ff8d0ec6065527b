import type { Place } from './kit/state/route.svelte.ts'

/** The code of each page is a file of its own, which is loaded when the page is opened. */
export const PAGES = {
  home: () => import('./buyer/pages/Home.svelte'),
  storefront: () => import('./buyer/pages/Storefront.svelte'),
  event: () => import('./buyer/pages/EventPage.svelte'),
  password: () => import('./buyer/pages/PasswordPage.svelte'),
  account: () => import('./buyer/pages/AccountPage.svelte'),
  checkout: () => import('./buyer/pages/CheckoutPage.svelte'),
  pay: () => import('./buyer/pages/PayPage.svelte'),
  order: () => import('./buyer/pages/OrderPage.svelte'),
  scan: () => import('./gate/ScanPage.svelte'),
  look: () => import('./kit/look/page/LookPage.svelte'),
  console: () => import('./console/ConsolePage.svelte'),
} as const satisfies { readonly [P in Place['page']]?: () => Promise<unknown> }

/** Asks for it before anything needs it. Who shows it hears when that fails. */
export function fetchPage(page: Place['page']): void {
  if (page !== 'nowhere') void PAGES[page]().catch(() => {})
}
