import type { Format } from '../../kit/words/format.ts'
import type { SupportWords } from './support-en.ts'

export function supportAf(format: Format): SupportWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const tickets = (count: number) => many(count, 'kaartjie', 'kaartjies')
  return {
    support: {
      notYet: 'Geen van die nuutste bestellings pas nie. Soek verder terug, of voeg ’n woord by.',
      edit: 'Wysig',
      editTitle: 'Naam en adres',
      name: 'Naam',
      email: 'E-posadres',
      phone: 'Telefoon',
      phoneHint: 'Net syfers, spasies en + ( ) -.',
      was: address => `Dit was ${address}. Alle latere e-posse gaan na die nuwe adres.`,
      send: 'Stuur die kaartjies daarheen. Die ou skakel werk dan nie meer nie.',
      kept: 'Die verandering word in die geskiedenis gehou, met jou naam.',
      save: 'Stoor',
      saveAndSend: count => `Stoor en stuur ${tickets(count)}`,
      saved: 'Die naam en adres is verander.',
      savedAndSent: to => `Die kaartjies is op pad na ${to}.`,
      notes: 'Notas, net vir personeel',
      addNote: 'Voeg ’n nota by',
      addNoteButton: 'Voeg by',
      noNotes: 'Kopers sien nooit ’n nota nie.',
      history: {
        sold: amount => `Verkoop vir ${amount}`.trim(),
        soldPlain: 'Verkoop',
        moved: (from, to) => `Geskuif ${from} → ${to}`,
        contact: 'Kontak verander',
        contactOf: (name, from, to) => `${name} ${from} → ${to}`,
        none: 'geen',
        byBuyer: 'deur die koper',
        by: who => `deur ${who}`,
        reissued: count => `${tickets(count)} weer uitgereik`,
        retried: 'Terugbetaling weer probeer',
        givenBack: 'Met die hand teruggegee',
      },
      money: {
        title: 'Gee geld terug',
        amount: 'Bedrag',
        ofAll: amount => `Hoogstens ${amount}.`,
        all: 'Alles',
        half: 'Helfte',
        nothing: 'Niks',
        voids: count =>
          count === 1
            ? 'Die kaartjie is ongeldig, die sitplek te koop'
            : 'Die kaartjies is ongeldig, die sitplekke te koop',
        keeps: count => (count === 1 ? 'Die kaartjie bly geldig' : 'Die kaartjies bly geldig'),
        staysValid: count =>
          count === 1
            ? 'Die kaartjie bly geldig, en die sitplek verkoop.'
            : 'Die kaartjies bly geldig, en die sitplekke verkoop.',
        wrong: 'Tik ’n bedrag, soos 275.00.',
        tooHigh: amount => `Dit is te veel. Hoogstens ${amount} kan teruggaan.`,
        tooLow: 'Tik ’n bedrag bo nul, of maak die kaartjies ongeldig.',
        button: amount => `Gee ${amount} terug`,
        given: amount => `${amount} gaan terug na die koper.`,
        keptMoney: amount => `${amount} word gehou.`,
        takeBack: count => `Neem ${tickets(count)} terug`,
        takeBackAsk: count => `Neem ${tickets(count)} terug?`,
        takenFree: 'Geen geld gaan terug nie: die kaartjies het niks gekos nie.',
      },
    },
  }
}
