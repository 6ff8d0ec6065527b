import type { Format } from '../../../kit/words/format.ts'
import type { StateWords } from './state-words-en.ts'

export function stateWordsAf(format: Format): StateWords {
  const n = format.number
  return {
    opensByItself: 'Hierdie bladsy begin die verkope vanself.',
    remindMe: 'Sit dit in my kalender',
    closedByStart: 'Verkope hier het geëindig toe die geleentheid begin het:',
    closedAt: 'Verkope hier het geëindig op',
    atTheDoor: (venue: string) => `Vra by ${venue} of daar sitplekke by die deur is.`,
    carts: 'Elke sitplek is in iemand se mandjie',
    cartsExplain: (held: number, minutes: number) =>
      `Nog nie verkoop nie: ${n(held)} ${held === 1 ? 'plek is' : 'plekke is'} in mandjies. Van hulle kan binne ${n(minutes)} ${minutes === 1 ? 'minuut' : 'minute'} terugkom. Bly hier: hulle verskyn dadelik.`,
    sold: 'Uitverkoop',
    soldExplain: 'As kaartjies teruggegee word, verskyn hulle dadelik hier.',
    wasOn: (event: string, day: string) => `${event} was op ${day}`,
  }
}
