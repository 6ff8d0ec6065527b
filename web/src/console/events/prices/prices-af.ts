import type { Format } from '../../../kit/words/format.ts'
import type { PriceWords } from './prices-en.ts'

export function pricesAf(format: Format): PriceWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    prices: {
      title: 'Pryse',
      about: currency =>
        `In ${currency}. ’n Sitplek kry die kategorie van sy ry in die uitleg, anders van sy sone.`,
      none: 'Nog geen pryse nie: kopers kan plekke vashou, maar nie hier betaal nie. Voeg die eerste kategorie by.',
      category: 'Kategorie',
      type: 'Kaartjiesoort',
      quantity: 'Kaartjies',
      places: 'Plekke',
      soldOut: 'As alles verkoop is',
      addType: 'Kaartjiesoort',
      addCategory: 'Kategorie',
      addOfLayout: name => `${name}, van die uitleg`,
      newCategory: index => `Kategorie ${n(index)}`,
      adult: 'Volwassene',
      typeName: index => `Naam van kaartjiesoort ${n(index)}`,
      typePlaceholder: 'Volwassene',
      typeNote: type => `Nota by ${type}`,
      notePlaceholder: 'Nota, soos “tot 12”',
      removeType: name => `Verwyder die kaartjiesoort ${name}`,
      remove: 'Verwyder',
      removeCategory: name => `Verwyder die kategorie ${name}`,
      colour: name => `Kleur van ${name} op die kaart`,
      categoryName: index => `Naam van kategorie ${n(index)}`,
      amount: (category, type) => `${category}, ${type}`,
      noPlaces: 'Geen plek het dit nie: gee dit ’n sone',
      keys: 'Tab volgende · Ctrl D vul ondertoe · Ctrl S stoor',
      zones: 'Plekke sonder eie kategorie',
      zonesNote: 'Hul sone sê wat hulle kos',
      zoneOption: (name, places) => `${name}, ${many(places, 'plek', 'plekke')}`,
      noPrice: 'Geen prys',
      fees: 'Fooie',
      addFee: 'Fooi',
      bookingFee: 'Besprekingsfooi',
      feeName: 'Fooi',
      feeAmount: 'Bedrag',
      feePer: 'Vir',
      per: { ticket: 'elke kaartjie', order: 'die hele bestelling' },
      removeFee: name => `Verwyder ${name}`,
      noFees: 'Kopers betaal geen fooi nie.',
      feesNote: 'Elkeen is ’n eie reël in die mandjie en op die bestelling.',
      tax: 'Belasting',
      addTax: 'Belasting',
      noTax: 'Geen belasting',
      vat: 'BTW',
      taxName: 'Belasting',
      taxPercent: 'Persent',
      taxWay: 'Bedrae',
      included: 'sluit dit in',
      onTop: 'is daarsonder',
      includedNote: 'Die bedrae hierbo is wat kopers betaal. Die bestelling sê hoeveel daarvan belasting is.',
      onTopNote: 'Dit kom by die som van kaartjies en fooie, een keer afgerond vir die hele mandjie.',
      noTaxNote: 'Bestellings noem geen belasting nie.',
      currency: 'Geldeenheid',
      currencyHint: 'ISO-kode. Verkoopte kaartjies behou hulle s’n.',
      notCurrency: 'Skryf die kode van ’n geldeenheid, soos ZAR.',
      notAmount: 'Skryf ’n bedrag, soos 15 of 15.50.',
      notPercent: 'Van 0 tot 100, met hoogstens drie desimale.',
      onMap: 'Op die kaart',
      mapLabel: 'Die saal in die kleure van sy pryse',
      asBuyer: 'Wat ’n koper betaal',
      nothingPriced: 'Sodra ’n kategorie ’n prys het, wys die som van ’n mandjie hier.',
      total: 'Totaal',
      taxLine: (name, percent) => `${name} ${n(percent)} %`,
      taxWithin: (name, percent) => `waarvan ${name} ${n(percent)} %`,
      changes: 'Wat vir kopers verander',
      kept: sold =>
        sold === 0
          ? 'Nog niks is verkoop nie. Mandjies wat betaal word, behou hul prys.'
          : `${many(sold, 'verkoopte plek behou', 'verkoopte plekke behou')} die prys wat betaal is. Mandjies wat betaal word, behou hulle s’n.`,
      change: (change, money) => {
        if (change.kind === 'amount') {
          const { category, type, before, after } = change
          if (before === null) return `${category}, ${type}: nuut, ${money(after!)}`
          if (after === null) return `${category}, ${type}: nie meer te koop nie`
          return `${category}, ${type}: ${money(before)} → ${money(after)}`
        }
        if (change.kind === 'zone') return `${change.name} het ’n ander kategorie`
        if (change.kind === 'category') return `${change.name}: ander naam of kleur`
        return { fee: 'Fooie', tax: 'Belasting', currency: `Geldeenheid ${change.name}` }[change.kind]
      },
      warnings: 'Nie alles kan betaal word nie',
      noGateway:
        'Hierdie bediener ontvang geen betalings nie; kopers kan dus nie op die blad betaal nie. Verkoop by die kaartjieskantoor of deur jou eie betaalblad. Die operateur verbind Stripe.',
      conflict: '’n Kollega het intussen die pryse verander',
      conflictNote: 'Niks van joune is gestoor nie. Dit is wat hulle verander het:',
      takeTheirs: 'Neem hulle s’n, gooi myne weg',
      saveMine: 'Stoor myne oor hulle s’n',
      save: 'Stoor pryse',
      saved: 'Die pryse is gestoor. Kopers sien dit van die volgende klik af.',
      savedDraft: 'Die pryse is gestoor. Publiseer die geleentheid wanneer dit gereed is.',
      over: 'Die geleentheid is verby: sy pryse bly soos hulle is.',
      readOnly: 'Jou rol mag pryse sien, maar nie verander nie.',
    },
  }
}
