"""Debian's chromium, driven by selenium, and what tests of the page share."""
import atexit
import functools
import json
import os
import pkgutil
import re
import shutil
import tempfile

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from harness import Case, until

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
         "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         "--disable-extensions", "--disable-default-apps", "--mute-audio",
         # one process draws all pages, which takes a fifth less processor time
         "--renderer-process-limit=1", "--process-per-site", "--disable-site-isolation-trials",
         "--disable-features=SpareRendererForSitePerProcess,ProactivelySwapBrowsingInstance,"
         "BackForwardCache,IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,"
         "HistoryEmbeddings,SegmentationPlatform,SafeBrowsing,PasswordManager,LoadingPredictor,"
         "NavigationPredictor,Prerender2,AutofillServerCommunication,"
         "InterestFeedContentSuggestions",
         # no field trials of Chromium, and no services that the page does not need
         "--disable-field-trial-config", "--disable-component-extensions-with-background-pages",
         "--disable-domain-reliability", "--disable-breakpad", "--metrics-recording-only",
         "--disable-client-side-phishing-detection", "--no-pings")
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
SMALL_PHONE = {**PHONE, "width": 320, "height": 640}
DESK = {"width": 1200, "height": 900, "deviceScaleFactor": 1, "mobile": False}
# This script defines selenium's function that decides whether a user sees an element. It has
# 80 kB, so each document receives it once. A symbol names it, so no name of the page changes.
SHOWN = "window[Symbol.for('shown')] = " + pkgutil.get_data(
    "selenium.webdriver.remote", "isDisplayed.js").decode()
# This script returns the first element of a selector that a user sees and that holds the text.
# It waits in the page, since a round trip takes 8 ms of processor time. After two seconds it
# returns null.
FIND = """
const [selector, text] = arguments, shown = window[Symbol.for("shown")], began = performance.now();
if (!shown)
	return "no function";
return new Promise((done) => {
	const look = () => {
		const waited = performance.now() - began;
		const found = [...document.querySelectorAll(selector)].find((one) =>
			(text === null || (one.innerText ?? one.textContent).includes(text)) && shown(one));
		if (found || waited > 2000)
			done(found ?? null);
		else
			setTimeout(look, Math.min(Math.max(10, waited / 10), 50));
	};
	look();
});"""
# This script scrolls an element into view. It returns whether two frames drew it in one place.
STEADY = """
const [element] = arguments;
element.scrollIntoView({block: "center"});
const place = () => { const {x, y} = element.getBoundingClientRect(); return `${x} ${y}`; };
const first = place();
return new Promise((done) =>
	requestAnimationFrame(() => requestAnimationFrame(() => done(place() === first))));"""


def start(profile, flags=()):
    """The driver of a new chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (*FLAGS, f"--user-data-dir={profile}", *flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("perfLoggingPrefs", {"enablePage": False})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(60)
    return driver


@functools.cache
def shared():
    """The driver of a chromium that all tests of this process use, one after the other. A start
    takes three seconds of processor time."""
    profile = tempfile.TemporaryDirectory(prefix="apspd-chromium-")
    atexit.register(profile.cleanup)
    driver = start(profile.name)
    atexit.register(driver.quit)
    return driver


def renew(driver):
    """Replace all tabs by an empty one, and forget what the browser keeps for the sites."""
    old = driver.window_handles
    driver.switch_to.new_window("tab")
    new = driver.current_window_handle
    for tab in old:
        driver.switch_to.window(tab)
        driver.close()
    driver.switch_to.window(new)
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    for log in "browser", "performance":
        driver.get_log(log)


class Browser:
    """A chromium with a profile of its own, or a new tab of the driver's, and what it must never
    do."""

    def __init__(self, directory, home, name="chromium", flags=(), driver=None):
        self.home = home if "://" in home else f"http://{home}/"
        self.profile = os.path.join(directory, name)
        self.driver = driver or start(self.profile, flags)
        self.is_shared = bool(driver)
        self.asked = set()
        self.size(DESK)
        self.scheme("light")

    def size(self, metrics):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name},
                         {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def go(self, fragment):
        """Load the page afresh at an address."""
        self.driver.get("about:blank")
        self.driver.get(self.home + fragment)

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def find(self, selector, text=None):
        """The first visible element of a selector that holds the text, once it is there."""
        try:
            return self.wait(f"{selector} with {text!r}", lambda: self.look(selector, text))
        except AssertionError as error:
            raise AssertionError(f"{error}; the page shows:\n" + self.js(
                "return location.hash + '\\n' + document.body.innerText")) from None

    def look(self, selector, text):
        """The element of FIND. None means that it is not there, or that the document lacked
        SHOWN and has received it."""
        found = self.js(FIND, selector, text)
        if found == "no function":
            self.js(SHOWN)
            return None
        return found

    def text_of(self, element):
        return self.js("return arguments[0].innerText ?? arguments[0].textContent", element)

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def wait(self, what, condition):
        def held():
            try:
                return condition()
            except WebDriverException:  # the document has changed meanwhile
                return None
        return until(what, held, pause_s=0.02)

    def wait_hash(self, part):
        self.wait(f"an address with {part}", lambda: part in self.js("return location.hash"))

    def click(self, selector, text=None):
        """Click where the element is, once two frames have drawn it in one place."""
        def done():
            element = self.find(selector, text)
            if not self.js(STEADY, element):
                return False
            ActionChains(self.driver, duration=0).move_to_element(element).click().perform()
            return True
        self.wait(f"a click on {selector}", done)

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector):
        """Reach an element by the keyboard alone."""
        def there():
            if self.js("return document.activeElement.matches(arguments[0])", selector):
                return True
            self.keys(Keys.TAB)
            return False
        self.wait(f"the keyboard on {selector}", there)

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Every address that was asked for."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.asked.add(message["params"]["request"]["url"])
        return self.asked

    def downloads(self):
        """The text of the one file that was downloaded; None until it is whole. From the
        first call on they go into the profile's directory."""
        where = os.path.join(self.profile, "downloads")
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior",
                                    {"behavior": "allow", "downloadPath": where})
        names = os.listdir(where) if os.path.isdir(where) else []
        if len(names) != 1 or names[0].endswith((".crdownload", ".tmp")):
            return None
        with open(os.path.join(where, names[0]), encoding="utf-8") as file:
            return file.read()

    def forget_downloads(self):
        """Remove the file that was downloaded, so that downloads() finds the next one."""
        shutil.rmtree(os.path.join(self.profile, "downloads"))

    def tree(self):
        """(role, name) of all that assistive technology is told, in its order; of a live
        region the text."""
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        by_id = {node["nodeId"]: node for node in nodes}
        told = []

        def text(node):
            return node.get("name", {}).get("value", "") or "".join(
                text(by_id[child]) for child in node.get("childIds", ()) if child in by_id)

        def walk(node):
            role = node.get("role", {}).get("value")
            if not node.get("ignored"):
                told.append((role, text(node) if role in ("status", "alert", "definition")
                             else node.get("name", {}).get("value", "")))
            for child in node.get("childIds", ()):
                if child in by_id:
                    walk(by_id[child])
        walk(nodes[0])
        return told

    def axe(self):
        """What axe-core finds wrong."""
        if not self.js("return 'axe' in window"):
            with open(os.path.join(HERE, "vendor", "axe.min.js"), encoding="utf-8") as file:
                self.js(file.read())
        return self.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run({resultTypes: ['violations']}).then((r) => done(r.violations.map("
            " (v) => v.id + ': ' + v.nodes.map((n) => n.html).slice(0, 3).join(' '))),"
            " (error) => done([String(error)]))")

    def quit(self):
        if self.is_shared:
            renew(self.driver)
        else:
            self.driver.quit()


class PageCase(Case):
    """A test with browsers, which end with it."""

    def page(self, d, **kwargs):
        """A browser for a daemon, or for the address that one is reached at. The one without a
        name or flags is shared."""
        browser = Browser(self.directory, d if isinstance(d, str) else d.addresses[0],
                          driver=None if kwargs else shared(), **kwargs)
        self.addCleanup(browser.quit)
        return browser

    def file(self, name, content):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def assertSound(self, b, what, refusals=()):
        """No other host, no rule of accessibility broken, and no message but what the
        browser itself says of requests that were refused."""
        b.wait("the answer", lambda: not b.count("[aria-busy=true]"))
        self.assertEqual([message for message in b.messages()
                          if not any(refusal in message for refusal in refusals)], [], what)
        self.assertEqual(b.axe(), [], what)
        asked = [re.sub("//[^/@]*@", "//", url) for url in b.requests()]  # less a password
        strangers = [url for url in asked if not url.startswith(
            (b.home, "about:", "data:", "blob:" + b.home,
             "chrome:"))]  # the browser's own first tab
        self.assertEqual(strangers, [], what)


if not os.access("/usr/bin/chromedriver", os.X_OK) or not shutil.which("chromium"):
    raise SystemExit("chromium and chromium-driver are missing")
