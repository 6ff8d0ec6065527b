import type { Format } from '../../kit/words/format.ts'
import type { ReadyWords } from './ready-en.ts'

export function readyAf(format: Format): ReadyWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const places = (count: number) => many(count, 'plek', 'plekke')
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
    ready: {
      list: 'Waarna gekyk moet word',
      counts: (right, all, stops, warns) =>
        [
          `${n(right)} van ${n(all)} is reg.`,
          stops > 0 && `${n(stops)} moet eers reggemaak word.`,
          warns > 0 && `${n(warns)} mag so bly.`,
        ]
          .filter(Boolean)
          .join(' '),
      stops: 'Moet eers reggemaak word',
      warns: 'Mag so bly',
      inOrder: 'In orde',
      mend: 'Maak reg',
      mendWhat: title => `Maak reg: ${title}`,
      checks: {
        date: 'Begin',
        end: 'Einde',
        sales_open: 'Verkope open',
        sales_close: 'Verkope sluit',
        prices: 'Pryse',
        payments: 'Betalings',
        mail: 'E-pos',
        contact: 'Kontak vir kopers',
        time_zone: 'Tydsone',
        layout: 'Uitleg',
      },
      atOnce: 'Sodra dit gepubliseer is',
      allPriced: 'Elke plek het een',
      sends: 'Daar is ’n e-posbediener',
      places,
      reasons: {
        no_date: () => ({ title: 'Dit het geen datum nie', note: 'Nodig voor dit gepubliseer word.' }),
        in_past: ({ at }) => ({ title: 'Dit begin in die verlede', note: `${at}.` }),
        no_end: () => ({ title: 'Dit het geen einde nie', note: 'Kopers se kalenders wys drie uur.' }),
        opens_after_close: ({ at }) => ({
          title: 'Verkope open nooit',
          note: `Hulle sou ${at} open, wanneer hulle reeds gesluit is.`,
        }),
        closed: ({ at }) => ({ title: 'Verkope is gesluit', note: `Hulle het ${at} geëindig.` }),
        no_prices: () => ({
          title: 'Dit het geen pryse nie',
          note: 'Kopers kan sitplekke vashou, en nie hier daarvoor betaal nie.',
        }),
        unpriced: ({ places: count, zones }) => ({
          title: `${places(count)} het geen prys nie`,
          note: `${format.list(zones.slice(0, 4))}. Kopers sien dit en kan nie daarvoor betaal nie.`,
        }),
        not_payable: ({ text }) => ({ title: 'Kyk weer na die pryse', note: text }),
        no_gateway: () => ({
          title: 'Kopers kan nie op die bladsy betaal nie',
          note: 'Hierdie bediener neem geen betalings nie. Verkoop by die loket of deur jou eie betaalpunt; wat gratis is, kan op die bladsy verkry word.',
        }),
        simulated: () => ({
          title: 'Betalings is speelgeld',
          note: '’n Nagemaakte bank neem dit: geen geld beweeg nie.',
        }),
        no_mail_server: () => ({
          title: 'E-pos word nie gestuur nie',
          note: 'Geen e-posbediener is opgestel nie. Kopers kry hul kaartjies op die bladsy van hul bestelling.',
        }),
        no_contact: () => ({
          title: 'Kopers kan nie aan jou skryf nie',
          note: 'Noem ’n adres vir vrae in die instellings.',
        }),
        utc: () => ({
          title: 'Tye is dié van UTC',
          note: 'Nóg die lokaal nóg die organisasie sê waar dit is.',
        }),
        not_sellable: ({ text }) => ({ title: 'Die uitleg kan nie so verkoop word nie', note: text }),
      },
      undo: 'Publikasie kan teruggetrek word totdat ’n plek gehou of verkoop is.',
      early: 'Dit is vroeg',
      earlyNote: (at, days) => `Die geleentheid begin ${at}, oor ${many(days, 'dag', 'dae')}.`,
    },
    care: {
      copy: 'Kopieer…',
      copyTitle: name => `Kopieer “${name}”`,
      copyName: 'Naam van die kopie',
      copyOf: name => `${name} (kopie)`,
      copyStarts: 'Die kopie begin',
      copyStartsHint: 'Sy deure, einde, dae en verkope skuif saam. Leeg: dit het nog geen tye nie.',
      copyWhitelist: 'Ook die mense op die witlys',
      comes: 'Kom saam: uitleg, sones, pryse, besprekingsreëls, beskrywing en prent.',
      stays: 'Bly agter: vasgehoue plekke, bestellings, en sitplekke wat met die hand geblokkeer is.',
      copyButton: 'Maak die kopie',
      copied: 'Die kopie is ’n konsep. Gaan sy instellings na, en publiseer dit dan.',
      remove: 'Skrap konsep…',
      removeTitle: name => `Skrap “${name}”?`,
      removeNote:
        'Sy instellings, pryse, prent en witlys word vir goed saam geskrap. Dit was nooit te koop nie, so geen koper het dit gesien nie. Die ouditlog onthou dat dit daar was.',
      removeButton: 'Skrap die konsep',
      removed: name => `“${name}” is geskrap.`,
      wasOnSale: 'Net personeel sien dit. Dit was voorheen te koop: sy lokaal en uitleg bly.',
      taken: (held, sold) =>
        held + sold > 0
          ? `Dit kan nie teruggetrek word nie: ${many(held, 'plek is', 'plekke is')} gehou, ${n(sold)} verkoop. Wag tot vasgehoue plekke eindig, of kanselleer die geleentheid.`
          : 'Dit kan nie teruggetrek word nie: dit het bestellings. Kanselleer die geleentheid, dan kry kopers hul geld terug.',
      offSale: 'Kopers sien dit nie meer nie',
      offSaleNote: 'Bladsye wat oop is, sê dit by die volgende stap.',
      again: 'Dit is weer ’n konsep',
      againNote: 'Datums en pryse kan verander, en dit kan weer gepubliseer word. Lokaal en uitleg bly.',
      onlyUntaken: 'Net terwyl niks geneem is nie',
      onlyUntakenNote:
        'Met vasgehoue plekke of bestellings moet dit eerder gekanselleer word, sodat kopers hul geld terugkry.',
    },
    marked: {
      note: count =>
        count === 1
          ? 'Een veld is nog nie reg nie: dit is gemerk.'
          : `${n(count)} velde is nog nie reg nie: hulle is gemerk.`,
      missing: 'Dit ontbreek.',
      choose: 'Kies een.',
    },
    closing: {
      title: (zones, name) => (zones === 1 ? `Sluit ${name}?` : `Sluit ${n(zones)} sones?`),
      button: (zones, name) => (zones === 1 ? `Sluit ${name}` : `Sluit ${n(zones)} sones`),
      leave: 'Verlaat die verkoop',
      leaveNote: 'Kopers kan nie meer daar kies nie.',
      held: 'Vasgehoue plekke bly tot hulle eindig',
      heldNote: 'Hul kopers kan nog betaal.',
      sold: 'Kaartjies bly geldig',
      soldNote: 'Hekke laat hulle in soos voorheen.',
      places,
      undo: 'Maak weer oop',
      undone: zones => (zones === 1 ? 'Die sone is weer oop.' : `${n(zones)} sones is weer oop.`),
      justClosed: names => `Gesluit: ${format.list(names)}.`,
    },
    matters: {
      noServer: 'Geen e-pos word gestuur nie',
      noServerNote: kept =>
        kept === 0
          ? 'Geen e-posbediener is opgestel nie: e-posse word gehou.'
          : `Geen e-posbediener is opgestel nie: ${many(kept, 'e-pos word', 'e-posse word')} gehou.`,
      kept: count => `${many(count, 'e-pos is', 'e-posse is')} nog nie gestuur nie`,
      keptNote: 'Hulle is geskryf voor die e-posbediener daar was. ’n Admin kan hulle stuur.',
      utc: 'Die organisasie is op UTC',
      utcNote: 'Tye van sy geleenthede is waarskynlik verkeerd. Kies ’n tydsone.',
    },
  }
}
