import type { ReadyWords } from './ready-en.ts'

export function readyAf(): ReadyWords {
  return {
    region: {
      about: 'Elke datum, prys en e-pos volg dit. Dit kom van jou blaaier: is dit reg?',
      name: 'Naam van die organisasie',
      nameHint: 'Soos kopers dit lees, op jou bladsye en in e-posse.',
      zone: 'Tydsone',
      nowThere: time => `Dit is nou ${time} daar.`,
      elsewhere: zone => `Jou blaaier is in ’n ander sone: ${zone}.`,
      currency: 'Geldeenheid',
      looksLike: money => `Pryse lyk soos ${money}.`,
      locale: 'Taal van e-posse',
      localeHint: 'Waar ’n koper se eie nie bekend is nie.',
      later: 'Alles kan later in die instellings verander word.',
      save: 'Ja, volgende: jou lokaal',
    },
  }
}
