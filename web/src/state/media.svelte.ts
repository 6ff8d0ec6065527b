import { MediaQuery } from 'svelte/reactivity'

/** What the visitor's device asks for; changes while the page is open. */
export const prefersDark = new MediaQuery('(prefers-color-scheme: dark)')
export const prefersStillness = new MediaQuery('(prefers-reduced-motion: reduce)')
