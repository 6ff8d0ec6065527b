/** Words with which an organization and its events are made ready for buyers. */
export function readyEn() {
  return {
    region: {
      about: 'Every date, price and email follows this. It was taken from your browser: is it right?',
      name: 'Name of the organization',
      nameHint: 'As buyers read it, on your pages and in emails.',
      zone: 'Time zone',
      nowThere: (time: string) => `It is ${time} there now.`,
      elsewhere: (zone: string) => `Your browser is in another zone: ${zone}.`,
      currency: 'Currency',
      looksLike: (money: string) => `Prices look like ${money}.`,
      locale: 'Language of emails',
      localeHint: 'Where a buyer’s own is not known.',
      later: 'All of it can be changed in the settings.',
      save: 'Yes, next: your venue',
    },
  }
}

export type ReadyWords = ReturnType<typeof readyEn>
