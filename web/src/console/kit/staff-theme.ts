import { darkTheme, lightTheme, type MapModel, type MapTheme } from '../../map/index.ts'

/** Staff look for what is taken: free seats step back, and prices have no colour. */
const light: MapTheme = {
  ...lightTheme,
  free: '#cfc5ba',
  held: '#b97a00',
  sold: '#4b3f52',
  blocked: '#8e8289',
}
const dark: MapTheme = {
  ...darkTheme,
  free: '#5b4f60',
  held: '#f0b34d',
  sold: '#d8ccdc',
  blocked: '#9d909f',
}

export function staffTheme(isDark: boolean): MapTheme {
  return isDark ? dark : light
}

/** The same hall without price categories. */
export function withoutPrices(model: MapModel): MapModel {
  return { ...model, priceOf: new Int32Array(model.ordinalCount).fill(-1), priceCategories: [] }
}
