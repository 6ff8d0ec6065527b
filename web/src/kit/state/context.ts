import { createContext } from 'svelte'
import type { Language } from '../words/language.svelte.ts'
import type { Brand } from './brand.svelte.ts'
import type { Route } from './route.svelte.ts'

export const [getLanguage, setLanguage] = createContext<Language>()
/** The organization whose page it is has this brand; null on pages of none. */
export const [getBrand, setBrand] = createContext<{ readonly current: Brand | null }>()
export const [getRoute, setRoute] = createContext<Route>()
