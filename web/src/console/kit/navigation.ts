import type { Desk } from './desk.svelte.ts'
import {
  armchair,
  calendarDays,
  chart,
  house,
  receipt,
  scrollText,
  server,
  settings,
  slidersHorizontal,
  timer,
  users,
} from './icons.ts'

export interface NavigationItem {
  readonly key: string
  readonly href: string
  readonly text: string
  readonly icon: string
  /** True for those who look after the machinery: it stands below the daily work. */
  readonly isOperation: boolean
}

/** The screens that this member of staff may open, and no others. */
export function navigationFor({ words: { nav }, links, session }: Desk): readonly NavigationItem[] {
  const item = (key: string, href: string, text: string, icon: string, isOperation = false) => ({
    key,
    href,
    text,
    icon,
    isOperation,
  })
  return [
    item('home', links.home, nav.home, house),
    item('events', links.to('events'), nav.events, calendarDays),
    ...(session.may('GET /api/admin/orders')
      ? [item('orders', links.to('orders'), nav.orders, receipt)]
      : []),
    ...(session.may('GET /api/admin/sales')
      ? [item('reports', links.to('reports'), nav.reports, chart)]
      : []),
    ...(session.may('GET /api/admin/events/:event/holds')
      ? [item('holds', links.to('holds'), nav.holds, timer)]
      : []),
    ...(session.may('GET /api/admin/venues')
      ? [item('venues', links.to('venues'), nav.venues, armchair)]
      : []),
    ...(session.may('GET /api/admin/policy')
      ? [item('policy', links.to('policy'), nav.policy, slidersHorizontal, true)]
      : []),
    ...(session.may('GET /api/admin/users') ? [item('people', links.to('people'), nav.people, users)] : []),
    ...(session.may('GET /api/admin/audit')
      ? [item('audit', links.to('audit'), nav.audit, scrollText, true)]
      : []),
    ...(session.may('GET /api/admin/organization')
      ? [item('settings', links.to('settings'), nav.settings, settings, true)]
      : []),
    ...(session.may('GET /api/admin/system')
      ? [item('system', links.to('system'), nav.system, server, true)]
      : []),
  ]
}
