// node search.js SITE PAGE WORD...: what the search of a page of a built site finds, by the theme's own worker. Prints a line of JSON
// for every word: the places of its results in the site, best first. The page says where its index is, as it does in a browser.
const fs = require("fs"), path = require("path"), vm = require("vm");

const [site, asked, ...words] = process.argv.slice(2);
const page = fs.readFileSync(path.join(site, asked, "index.html"), "utf8");
const config = JSON.parse(page.match(/<script id="__config"[^>]*>(.*?)<\/script>/s)[1]);

// The worker sees a browser's worker: messages in, messages out.
const answers = [];
let receive;
const world = {console, URL, Promise, setTimeout, addEventListener: (_, handler) => { receive = handler; },
               postMessage: (message) => answers.shift()(message)};
world.self = world;
vm.createContext(world);
vm.runInContext(fs.readFileSync(path.join(site, asked, config.search), "utf8"), world);
const ask = (message) => new Promise((answer) => { answers.push(answer); receive({data: message}); });

(async () => {
  const index = JSON.parse(fs.readFileSync(path.join(site, asked, config.base, "search/search_index.json"), "utf8"));
  const pipeline = config.translations["search.config.pipeline"].split(/\s*,\s*/).filter(Boolean);
  await ask({type: 0, data: {config: index.config, docs: index.docs, options: {pipeline, suggestions: false}}});
  for (const word of words) {
    const found = await ask({type: 2, data: word});
    console.log(JSON.stringify(found.data.items.map((group) => path.join(asked, config.base, group[0].location))));
  }
})();
