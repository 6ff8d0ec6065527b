import { createContext } from 'svelte'
import type { Language } from '../words/language.svelte.ts'
import type { Route } from './route.svelte.ts'

export const [getLanguage, setLanguage] = createContext<Language>()
export const [getRoute, setRoute] = createContext<Route>()
