# SPDX-License-Identifier: MIT
"""The suites: the source of each, its parts, how one part is run and its results are read.

A suite has
  prepare(archive, folder)   fills folder with everything that a run reads. Missing: not available
  moved(folder, old)         corrects files that name the folder by its old path
  parts(folder)              names of the parts that can be run separately
  chosen                     the parts that are run if none is named; None: all
  fill(folder, project)      copies into the project the files that its tests expect in the working directory
  command(folder, project, part)  arguments and variables
  cwd(folder, project, part) the working directory
  read(part, run)            results by test: run has status, output, project
"""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

from debian import Missing, run

PYTHON = "/usr/bin/python3"
JOBS = str(os.cpu_count() or 1)


def tap(part, output):
    """ok, failed or skipped; by number where tests have no name of their own."""
    found = {}
    for line in output.splitlines():
        match = re.match(r"(not )?ok (\d+)(.*)", line)
        if match:
            skipped = re.search(r"# *skip", match[3], re.I)
            found[f"{part}.{match[2]}"] = "failed" if match[1] else "skipped" if skipped else "ok"
    return found


def junit(path):
    found = {}
    if not os.path.exists(path):
        return found
    try:
        cases = xml.parse(path).getroot().iter("testcase")
    except xml.ParseError:
        return found
    for case in cases:
        kinds = {child.tag for child in case}
        name = " ".join(filter(None, (case.get("classname"), case.get("name"))))
        found[" ".join(name.split())] = "failed" if kinds & {"failure", "error"} else \
            "skipped" if "skipped" in kinds else "ok"
    return found


class Suite:
    options, chosen, users, given = [], None, ("root", "user"), False
    unasked = ("root", "user")  # without --as

    @property
    def built(self):
        """The folder in the cache; suites may share one."""
        return self.name

    def list_name(self, folder):
        """The name of the list of what differs."""
        return self.name

    def moved(self, folder, old):
        pass

    def fill(self, folder, project):
        pass

    def cwd(self, folder, project, part):
        return project


class CPython(Suite):
    """CPython's own tests, for the python3 of this release."""
    name = "cpython"
    options = ["--net", "localhost", "--udp"]
    chosen = """test_asyncio test_concurrent_futures test_fcntl test_fileio test_file test_filecmp test_fork1
        test_ftplib test_glob test_httpservers test_io test_ioctl test_largefile test_logging test_mailbox test_mmap
        test_multiprocessing_fork test_multiprocessing_forkserver test_multiprocessing_main_handling
        test_multiprocessing_spawn test_openpty test_os test_pathlib test_pipes test_poll test_popen test_posix
        test_posixpath test_pty test_pwd test_resource test_select test_selectors test_shutil test_signal
        test_socket test_socketserver test_sqlite3 test_stat test_subprocess test_tarfile test_tempfile
        test_termios test_threading test_threadsignals test_time test_venv test_wait3 test_wait4 test_zipfile""".split()

    def prepare(self, archive, folder):
        version = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                 stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        root = folder + ".root"
        archive.binaries(root, f"libpython{version}-testsuite", f"libpython{version}-stdlib")
        shutil.move(f"{root}/usr/lib/python{version}/test", f"{folder}/test")
        shutil.rmtree(root)

    def parts(self, folder):
        return sorted(name[:-3] if name.endswith(".py") else name for name in os.listdir(f"{folder}/test")
                      if name.startswith("test_"))

    def command(self, folder, project, part):
        # UDP-Lite is refused, and an error in a thread of these tests ends the run of their module
        return [PYTHON, "-B", "-m", "test", "--tempdir", ".", "--junit-xml", "results.xml", "-i", "*UDPLITE*", part], \
            {"PYTHONPATH": folder}

    def read(self, part, done):
        return junit(f"{done.project}/results.xml")


class Git(Suite):
    """git's own tests; the repositories lie in the project."""
    name, users = "git", ("user",)
    chosen = """t0000* t0001* t0002* t0003* t0005* t0008* t0020* t0021* t0050* t0060* t0061* t0100* t0300* t0410*
        t1000* t1004* t1300* t1301* t1302* t1400* t1403* t1404* t1410* t1450* t1500* t1501* t1510* t2000* t2013* t2200*
        t2400* t2401* t2402* t2403* t3000* t3200* t3210* t3400* t3404* t3420* t3501* t3600* t3700* t3903* t4001* t4013*
        t4150* t5000* t5150* t5300* t5304* t5310* t5500* t5510* t5516* t5520* t5526* t5601* t5604* t5605* t6030*
        t6050* t7001*""".split()

    def prepare(self, archive, folder):
        archive.source(folder, "git")
        run(["make", f"-j{JOBS}", "NO_CURL=1", "NO_EXPAT=1", "NO_GETTEXT=1", "NO_TCLTK=1", "NO_OPENSSL=1",
             "NO_PYTHON=1"], folder, folder + ".log")
        for path in glob.glob(f"{folder}/**/*.[oa]", recursive=True):
            os.unlink(path)
        shutil.rmtree(f"{folder}/.depend", ignore_errors=True)

    def list_name(self, folder):
        """Its tests have numbers, which are others in each version."""
        with open(f"{folder}/GIT-VERSION-FILE", encoding="utf-8") as file:
            return f"{self.name}-{re.search(r'[0-9]+[.][0-9]+', file.read())[0]}"

    def moved(self, folder, old):
        for path in [f"{folder}/GIT-BUILD-OPTIONS", *glob.glob(f"{folder}/bin-wrappers/*")]:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, folder))

    def parts(self, folder):
        return sorted(os.path.basename(path)[:-3] for path in glob.glob(f"{folder}/t/t[0-9]*.sh"))

    def command(self, folder, project, part):
        return ["sh", f"./{part}.sh", f"--root={project}"], {"TEST_OUTPUT_DIRECTORY": project}

    def cwd(self, folder, project, part):
        return f"{folder}/t"

    def read(self, part, done):
        return tap(part, done.output)


class GitTmp(Git):
    """The same in the private tmp, where nothing is vetted."""
    name, built = "git-tmp", "git"

    def command(self, folder, project, part):
        return ["sh", "-c", f'TEST_OUTPUT_DIRECTORY=$TMPDIR exec sh ./{part}.sh --root="$TMPDIR"'], {}


class Libuv(Suite):
    """libuv's own tests, each by itself; they refuse to be run by root."""
    name, users = "libuv", ("user",)
    # its pipes lie in /tmp, whatever TMPDIR says
    options = ["--net", "localhost", "--udp", "--tmp", "shared"]

    def prepare(self, archive, folder):
        archive.source(folder, "libuv1")
        log = folder + ".log"
        run(["cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=ON", "-DCMAKE_BUILD_TYPE=Debug"], folder, log)
        run(["make", "-C", "build", f"-j{JOBS}", "uv_run_tests_a"], folder, log)

    def parts(self, folder):
        with open(f"{folder}/test/test-list.h", encoding="utf-8") as file:
            return sorted(set(re.findall(r"^ *TEST_ENTRY(?:_CUSTOM)? *\((\w+)", file.read(), re.M)))

    def fill(self, folder, project):
        shutil.copytree(f"{folder}/test/fixtures", f"{project}/test/fixtures")

    def command(self, folder, project, part):
        return [f"{folder}/build/uv_run_tests_a", part], {}

    def read(self, part, done):
        return {part: result for result in tap(part, done.output).values()}


class Go(Suite):
    """Go's own tests of what asks the system."""
    name = "go"
    # some tests name /tmp, and one runs the go of this machine
    options = ["-p", "go", "--net", "localhost", "--udp", "--tmp", "shared"]
    packages = """internal/poll io/fs io/ioutil net net/http net/http/httptest net/rpc os os/exec os/signal os/user
        path/filepath runtime/pprof syscall time""".split()

    def prepare(self, archive, folder):
        archive.update()
        depends = subprocess.run(["apt-cache", *archive.options[1:], "depends", "golang-go"], stdout=subprocess.PIPE,
                                 text=True, check=False).stdout
        version = re.search(r"golang-(\d[\d.]*)-go", depends)
        if not version:
            raise Missing("this release has no Go")
        tools = folder + ".root"
        archive.binaries(tools, f"golang-{version[1]}-go", f"golang-{version[1]}-src")
        root = f"{tools}/usr/lib/go-{version[1]}"
        os.makedirs(f"{folder}/src")
        for package in self.packages:
            run([f"{root}/bin/go", "test", "-c", "-o", f"{folder}/{package.replace('/', '_')}.test", package], root,
                folder + ".log", env={**os.environ, "GOROOT": root, "GOCACHE": folder + ".cache", "GOFLAGS": ""})
        for top in ("internal", "io", "net", "os", "path", "runtime", "syscall", "time", "testdata"):
            if os.path.isdir(f"{root}/src/{top}"):
                shutil.copytree(f"{root}/src/{top}", f"{folder}/src/{top}", symlinks=True)
        shutil.rmtree(folder + ".cache")
        shutil.rmtree(tools)

    def parts(self, folder):
        return self.packages

    def fill(self, folder, project):
        shutil.copytree(f"{folder}/src", f"{project}/src", symlinks=True)

    def cwd(self, folder, project, part):
        return f"{project}/src/{part}"

    def command(self, folder, project, part):
        return [f"{folder}/{part.replace('/', '_')}.test", "-test.v", "-test.short"], {}

    def read(self, part, done):
        words = {"PASS": "ok", "FAIL": "failed", "SKIP": "skipped"}
        return {f"{part}.{match[2]}": words[match[1]] for match in
                re.finditer(r"^ *--- (PASS|FAIL|SKIP): (\S+)", done.output, re.M)}


class FsExtra(Suite):
    """fs-extra's own tests; mocha and the like come from npm."""
    name = "fs-extra"

    def prepare(self, archive, folder):
        archive.source(folder, "node-fs-extra")
        # only what the tests need of what its developers use
        with open(f"{folder}/package.json", "r+", encoding="utf-8") as file:
            package = json.load(file)
            del package["devDependencies"]
            file.seek(0)
            file.truncate()
            json.dump(package, file)
        run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "mocha@10",
             "klaw@2", "klaw-sync@3", "proxyquire@2", "read-dir-files@0.1", "minimist@1", "at-least-node@1"],
            folder, folder + ".log", timeout=600)

    def parts(self, folder):
        return sorted(os.path.relpath(path, folder) for path in
                      glob.glob(f"{folder}/lib/**/__tests__/*.test.js", recursive=True))

    def fill(self, folder, project):
        shutil.copytree(folder, project, symlinks=True, dirs_exist_ok=True)

    def command(self, folder, project, part):
        return ["node", "node_modules/mocha/bin/mocha.js", "--exit", "--reporter", "xunit",
                "--reporter-options", "output=results.xml", part], {}

    def read(self, part, done):
        found = junit(f"{done.project}/results.xml")
        # some names have the path of a temporary file in them
        return {f"{part[4:-8]}: {re.sub('/[^ ]*/fs-extra/', '', name)}": result for name, result in found.items()}


class Pjdfstest(Suite):
    """A folder with pjdfstest, built."""
    name, given, users = "pjdfstest", True, ("root",)

    def prepare(self, archive, folder):
        if not os.access(f"{folder}/pjdfstest", os.X_OK):
            raise Missing("there is no program pjdfstest in it")

    def parts(self, folder):
        return sorted(os.path.relpath(path, f"{folder}/tests")[:-2] for path in glob.glob(f"{folder}/tests/*/*.t"))

    def command(self, folder, project, part):
        return ["sh", f"{folder}/tests/{part}.t"], {}

    def read(self, part, done):
        return tap(part, done.output)


class Ltp(Suite):
    """A folder with the Linux Test Project, built and installed; its list of system calls."""
    name, given = "ltp", True
    # without capabilities root can still change settings of the kernel and files of the machine
    unasked = ("user",)
    options = ["--net", "localhost", "--udp", "--ipc", "sysv"]
    words = {0: "ok", 32: "skipped"}

    def prepare(self, archive, folder):
        if not os.path.exists(f"{folder}/runtest/syscalls"):
            raise Missing("there is no runtest/syscalls in it")

    def lines(self, folder):
        with open(f"{folder}/runtest/syscalls", encoding="utf-8") as file:
            pairs = (line.split(None, 1) for line in file if line.strip() and line[0] != "#")
            return {words[0]: words[1].strip() for words in pairs if len(words) == 2}

    def left_out(self):
        """Patterns of parts that are not run, not even by name."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ltp.left-out"), encoding="utf-8") as file:
            return [word for line in file if line[0] != "#" for word in line.partition("\t")[0].split()]

    def parts(self, folder):
        there, out = set(os.listdir(f"{folder}/testcases/bin")), self.left_out()
        return [name for name, text in self.lines(folder).items() if text.split()[0] in there
                and not any(fnmatch.fnmatchcase(name, pattern) for pattern in out)]

    def command(self, folder, project, part):
        # the files of the tests are made in the project, not in the private tmp
        return ["sh", "-c", f"TMPDIR=$PWD; export TMPDIR; {self.lines(folder)[part]}"], \
            {"LTPROOT": folder, "PATH": f"{folder}/testcases/bin:{os.environ['PATH']}"}

    def read(self, part, done):
        """The outcome, and how many checks of the test ended in which way."""
        counts = re.findall(r"^(passed|failed|broken|skipped) +([1-9]\d*)$", done.output, re.M)
        word = self.words.get(done.status, "failed")
        return {part: f"{word} ({', '.join(f'{number} {kind}' for kind, number in counts)})" if counts else word}


ALL = [CPython(), Git(), GitTmp(), Libuv(), Go(), FsExtra(), Pjdfstest(), Ltp()]


def parts_of(suite, folder, pattern):
    """The parts to run: those that a pattern names, else the chosen ones."""
    wanted = [pattern] if pattern else suite.chosen
    parts = suite.parts(folder)
    return [part for part in parts if wanted is None or any(fnmatch.fnmatchcase(part, w) for w in wanted)]
