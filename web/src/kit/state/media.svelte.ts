import { MediaQuery } from 'svelte/reactivity'

/** The visitor's device asks for these; they change while the page is open. */
export const prefersDark = new MediaQuery('(prefers-color-scheme: dark)')
export const prefersStillness = new MediaQuery('(prefers-reduced-motion: reduce)')
/** A phone on its side, or a desk at 400 %: too low for a hall and a panel one above the other. */
export const isLowScreen = new MediaQuery('(max-height: 30rem) and (max-width: 59.99rem)')
/** Wide enough for the panel to stand beside the hall. */
export const isWideScreen = new MediaQuery('(min-width: 60rem)')
/** Not so wide: the panel is a sheet below the hall. */
export const isNarrowScreen = new MediaQuery('not all and (min-width: 60rem)')
/** The visitor's system draws with colours of its own. */
export const hasForcedColors = new MediaQuery('(forced-colors: active)')
