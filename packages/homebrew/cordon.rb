# SPDX-License-Identifier: MIT
# Template: ./dev package texts writes version, address and checksum.
class Cordon < Formula
  desc "Run a command in a sandbox that reaches only what you allow"
  homepage "@HOMEPAGE@"
  url "@DOWNLOADS@/v@VERSION@/cordon-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "libidn2"
  depends_on "libmd"
  depends_on "libunistring"
  depends_on "pcre2"

  on_linux do
    depends_on "libseccomp" => :build
  end

  def install
    system "meson", "setup", "build", "-Dprefer_static_libs=false", "-Dsystemd=disabled", *std_meson_args
    system "meson", "compile", "-C", "build", "cordon", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    assert_equal "cordon #{version}\n", shell_output("#{bin}/cordon --version")
    assert_match "denied", shell_output("#{bin}/cordon why -C #{testpath} write /etc/passwd", 1)
  end
end
